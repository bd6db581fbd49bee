# Every learner with its options; the same options in train LEARNER --help, and as JSON.
halfspace learners >all
head -n 8 all
halfspace train perceptron --help >one
sed -n '/^  --/p' all | grep -vxFf one
sed -n 1,8p one
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
halfspace learners --json | python3 -c 'import json, sys
for learner in json.load(sys.stdin)["learners"]:
    print(learner["name"], sorted(o["name"] for o in learner["options"]))'
