# Numbers in the fewest digits (90, not 9e+01); columns are numbered from 1.
printf '%s\n' 'a,b,c,"odd ""name"""' '1,90,1,x' '3,90,3,y' '0.1,90,0.1,x' >small.csv
halfspace inspect --json -q --threads 2 small.csv |
    sed -E 's/("[a-z_]*(seconds|rss_bytes)": )[0-9.]+/\1N/'
