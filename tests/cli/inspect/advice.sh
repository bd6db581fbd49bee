# The advice about a messy table, taken literally, reads it.
cd "$EXAMPLES" || exit
advice=$(halfspace inspect -q churn.csv --json | sed -n 's/^  "reading_options": "\(.*\)",$/\1/p')
echo "$advice" | grep -oE -- '--(ignore customer|thousands ,|currency|percent|missing mean|ignore-case)'
eval "halfspace inspect -q churn.csv $advice --columns 0" | sed -n '/left out/p; /^  rows  /p; /^Classes/,/^$/p' | sed 's/^  \([a-z]*\)  .*/\1/'
eval "halfspace train logistic -q churn.csv $advice" | grep -c converged
