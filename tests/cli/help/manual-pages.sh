# The pages have every section, name every option, and mandoc finds nothing wrong in them.
for command in '' $COMMANDS; do
    halfspace help --man $command >page.1 || echo "exit $?"
    echo "${command:-halfspace}: $(grep -c '^\.SH' page.1) sections"
    grep -q '^\.SH EXIT STATUS' page.1 || echo "$command: no exit status"
done
halfspace help --man make | grep -c 'fB.*margin'
halfspace help --man train | grep -c 'margin..target'
command -v mandoc >/dev/null || { echo "there is no mandoc"; exit 77; }
for command in '' $COMMANDS; do
    halfspace help --man $command >page.1
    mandoc -Tlint -W warning page.1
done
