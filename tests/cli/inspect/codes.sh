# Numbers of one length with leading zeros are codes. Classes are named as they will be read.
awk 'BEGIN { print "zip,shop,part,age,month,left"
    for (i = 0; i < 240; i++) printf "%s,%03d,%07d,%d,%02d,%s\n", i % 50 ? i % 3 ? "01067" : i % 2 ? "80331" : "04109" : "", i % 120 * 3, i * i * 37, 20 + i % 31, i % 12 + 1, i % 24 ? i % 2 ? "NO" : "no" : "Yes" }' >shops.csv
halfspace inspect -q shops.csv | grep -e 'zip' -e shop -e part -e month -e classes -e 'to read'
