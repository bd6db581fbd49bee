# No rows is an answer, not an error.
halfspace inspect - </dev/null
halfspace convert -q - - </dev/null
