halfspace train
halfspace train --json
