# Neither a bar nor a control character when standard error is a file.
halfspace make separable --rows 2e5 -o a.svm 2>err
halfspace inspect a.svm 2>>err >out
od -c err | grep -c -e 033 -e '\\r'
cat err
