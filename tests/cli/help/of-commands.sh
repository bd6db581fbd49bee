# Every command explains itself, in the same words both ways, with all its options.
for command in $COMMANDS; do
    halfspace $command --help >one || echo "exit $?"
    halfspace help $command >two || echo "exit $?"
    cmp one two && echo "$command: $(head -n 1 one)"
    grep -c -e '--threads N' one
done
halfspace help make xor >one && halfspace make xor --help | cmp - one && head -n 3 one
halfspace help train perceptron >one && halfspace train perceptron --help | cmp - one && head -n 1 one
halfspace help model form
halfspace help --help
halfspace help make nosuch
