# With --json, an error is a JSON object too, for every command.
printf 'x,label\n1,yes\n2,"no\n' >bad.csv
question 'A place in a file'
halfspace train svm --json bad.csv 2>/dev/null; echo "status $?"
question 'An option, a command, an argument'
halfspace train svm --C -1 --json bad.csv 2>/dev/null | grep -e message -e option
halfspace trian --json bad.csv 2>/dev/null | grep -e status -e message
halfspace inspect --json 2>/dev/null | grep -o "DATA is missing"
question 'Every command that reads files'
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
for command in $COMMANDS; do
    case $command in
    help | learners) continue ;;
    make) set -- separable --rows 1 ;;
    train | cv | tune) set -- svm nowhere.svm ;;
    model) set -- show nowhere.svm ;;
    kernel) set -- check linear nowhere.svm ;;
    split | scale | convert) set -- nowhere.svm out.svm ;;
    predict) set -- nowhere.svm nowhere.svm -o out ;;
    *) set -- nowhere.svm nowhere.svm ;;
    esac
    halfspace "$command" "$@" --json 2>err >out.json
    status=$?
    python3 -c 'import json, sys; e = json.load(open("out.json"))["error"]; assert e["status"] == int(sys.argv[1]) and e["message"]' $status ||
        echo "$command: status $status: $(cat out.json)"
    [ -s err ] || echo "$command: nothing on standard error"
done
