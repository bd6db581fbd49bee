# Waiting for a pipe that says nothing, it ends at once.
mkfifo pipe
sleep 20 >pipe &
sleeper=$!
env --default-signal=INT halfspace inspect - <pipe 2>err &
sleep 0.3
kill -INT $!
wait $!
echo "exit $?: $(cat err)"
kill $sleeper
ls
