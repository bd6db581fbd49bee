# From a pipe, without names of columns.
printf '%s\n' '+1 1:0.5 3:2' '-1 2:1' '+1 1:0.25' '-1 2:3 3:-1' | halfspace inspect -
