# Every learner with its options; the same options in train LEARNER --help, and as JSON.
halfspace learners >all
head -n 8 all
for learner in $(sed -n 's/^\([a-z]*\): .*/\1/p' all); do
    halfspace train "$learner" --help
done >each
sed -n '/^  --/p' all | grep -vxFf each
sed -n 1,8p each
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
halfspace learners --json | python3 -c 'import json, sys
for learner in json.load(sys.stdin)["learners"]:
    print(learner["name"], sorted(o["name"] for o in learner["options"]))'
