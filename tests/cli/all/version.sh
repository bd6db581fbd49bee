# The version, in one line.
halfspace --version | sed 's/ [0-9]*\.[0-9]*\.[0-9]*$/ N.N.N/'
