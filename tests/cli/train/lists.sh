# Without a learner, train lists the learners, as text and as JSON.
halfspace train
halfspace train --json
