# Help for commands, learners, generators and actions.
question 'Every command has the same help both ways, with its options'
for command in $COMMANDS; do
    halfspace $command --help >one || echo "exit $?"
    halfspace help $command >two || echo "exit $?"
    cmp one two && echo "$command: $(head -n 1 one)"
    grep -c -e '--threads N' one
done
question 'Help for a generator, a learner, an action, and help itself'
halfspace help make xor >one && halfspace make xor --help | cmp - one && head -n 3 one
halfspace help train perceptron >one && halfspace train perceptron --help | cmp - one && head -n 1 one
halfspace help model form
halfspace help --help
question 'A generator that does not exist: status 2'
halfspace help make nosuch
