# help --json gives the type of an option and its choices.
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
halfspace help --json scale | python3 -c 'import json, sys
for o in json.load(sys.stdin)["commands"][0]["options"][:2]: print(o["name"], o["type"], o.get("choices"))'
