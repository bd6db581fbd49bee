printf '%s\n' 'a,b,"odd ""name"""' '1,2,x' '3,2,y' '0.1,2,x' >small.csv
halfspace inspect --json -q --threads 2 small.csv |
    sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/'
