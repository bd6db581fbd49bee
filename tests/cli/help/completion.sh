# What bash would offer.
command -v bash >/dev/null || { echo "there is no bash"; exit 77; }
halfspace --completion bash >completion
touch data.csv
cat >ask <<'END'
. ./completion
ask()
{
    COMP_WORDS=(halfspace "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _halfspace
    echo "$*: ${COMPREPLY[*]}"
}
ask ins
ask make x
ask make xor --no
ask inspect --col
ask train p
ask train perceptron --or
ask train perceptron --order s
ask model f
ask model form --to u
ask eval --js
ask inspect --storage s
ask convert da
ask convert data.csv --to ''
ask inspect --columns ''
END
bash ask
