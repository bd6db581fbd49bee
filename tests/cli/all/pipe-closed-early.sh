# `| head` ends the command by the signal that a shell expects (141), with no words about it.
{
    halfspace make xor --rows 1e6 -q
    echo "exit $?" >status
} | head -n 1 | wc -l
cat status
