# Words become columns, a missing value is told, an order is kept.
cd "$EXAMPLES" || exit
halfspace inspect weather.csv
echo "exit $?"
halfspace inspect weather.csv --missing drop --ordinal 'temperature=cool<mild<hot'
