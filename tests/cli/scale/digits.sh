# Scaled numbers are double precision: divisions by powers of two are exact, and digits that are lost are reported.
question 'Division by a power of two'
printf 'x,y\n0.123456789,a\n8,b\n' >two.csv
halfspace scale -q two.csv - --to csv --kind max-abs
question 'An identifier that double precision cannot hold'
printf 'id,y\n12345678901234567890,a\n1,b\n' >id.csv
halfspace scale -q id.csv - --to csv --kind max-abs 2>&1
