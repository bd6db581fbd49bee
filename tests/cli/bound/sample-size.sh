# One theorem, solved for whichever figure is left out.
halfspace bound sample-size --hypotheses 1000 --epsilon 0.05 --delta 0.01
halfspace bound sample-size --hypotheses 1000 --epsilon 0.05 --delta 0.01 --agnostic
halfspace bound sample-size --class halfspaces:10 --rows 4761 --delta 0.01
halfspace bound sample-size --class halfspaces:10 --rows 4760 --epsilon 0.05 | sed -n 2,4p
halfspace bound sample-size --vc 11 --rows 4761 --epsilon 0.05 --agnostic
for class in origin:10 thresholds intervals boxes:2 conjunctions:20 disjunctions:20; do
    halfspace bound sample-size --class $class --epsilon 0.1 --delta 0.05 | sed -n 1,2p
    halfspace bound sample-size --class $class --epsilon 0.1 --delta 0.05 --agnostic | sed -n 2p
done
halfspace bound sample-size --bits 1e15 --epsilon 1e-15 --delta 0.5 | sed -n '2p;/^Vacuous/p'
halfspace bound sample-size --bits 32 --rows 1e6 --delta 1e-9 --json | sed '/peak_rss/d;/threads/d'
