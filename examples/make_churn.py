#!/usr/bin/env python3
"""Make examples/churn.csv: 2,000 invented customers of a telephone company, as messy as real tables are.

    python3 examples/make_churn.py > examples/churn.csv

What is in it: an id, a date, categories, numbers with thousands separators, currency and percent signs, three marks
for missing values (N/A, - and nothing), a remark in words, and a label that is spelled in five ways. About 8% of the
customers leave. How likely one is to leave depends on the columns as `leaves` below says: on late payments, the mood of
the last remark, the fee, the years since signup, the discount, region and age; not on the id, the plan as such, the
income and the gigabytes. Everything is drawn from one seed.
"""
import datetime
import math
import random

ROWS = 2000
REGIONS = ["North", "South", "East", "West", "Islands"]
PLANS = ["basic", "plus", "family", "business"]
REMARKS = {
    "happy": ["very happy with the service", "asked for a second line", "praised the technician", "wants to upgrade soon"],
    "plain": ["asked about the bill", "changed address", "asked for a copy of the contract", "wants paper invoices"],
    "angry": ["complained about dropped calls", "line is slow every evening", "asked how to cancel", "complained about the bill again"],
}


def main():
    draw = random.Random(20240117)
    print("customer,signup,region,plan,age,income,monthly_fee,data_gb,late_payments,discount,last_remark,churn")
    for number in range(1, ROWS + 1):
        signup = datetime.date(2015, 1, 1) + datetime.timedelta(days=draw.randrange(3200))
        region, plan = draw.choice(REGIONS), draw.choices(PLANS, [5, 3, 2, 1])[0]
        age = min(91, max(18, int(draw.gauss(45, 15))))
        income = max(9000, draw.gauss(30000 + 400 * age, 12000))
        fee = {"basic": 14.9, "plus": 24.9, "family": 39.9, "business": 59.9}[plan] + draw.choice([0, 0, 5, 10])
        data = draw.lognormvariate(1.5, 0.9)
        late = min(9, int(draw.expovariate(1.2)))
        discount = draw.choice([0, 0, 0, 5, 10, 20])
        mood = draw.choices(["happy", "plain", "angry"], [3, 5, 2])[0]
        years = (datetime.date(2024, 1, 1) - signup).days / 365.25
        leaves = (-5.2 + 1.0 * late + 3.2 * (mood == "angry") - 1.5 * (mood == "happy") + 0.05 * (fee - 25)
                  - 0.35 * (years - 4.5) - 0.1 * (discount - 5) + 1.0 * (region == "Islands") - 0.03 * (age - 45))
        churn = draw.random() < 1 / (1 + math.exp(-leaves))
        remark = draw.choice(REMARKS[mood])
        cells = [
            f"C-{number:05d}",
            signup.isoformat(),
            region,
            plan,
            draw.choice(["N/A", ""]) if draw.random() < 0.06 else str(age),
            "-" if draw.random() < 0.04 else f'"${income:,.0f}"',
            f"{fee:.2f}",
            "" if draw.random() < 0.03 else f"{data:.2f}",
            str(late),
            f"{discount}%",
            f'"{remark}, {draw.choice(["by phone", "by mail", "in the shop"])}"',
            draw.choices(["yes", "Yes"], [9, 1])[0] if churn else draw.choices(["no", "No", "NO"], [18, 1, 1])[0],
        ]
        print(",".join(cells))


if __name__ == "__main__":
    main()
