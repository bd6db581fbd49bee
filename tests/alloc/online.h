/* Of test_alloc.c: splits, and the online learners. */
#ifndef HSP_TESTS_ALLOC_ONLINE_H
#define HSP_TESTS_ALLOC_ONLINE_H

static void alloc_run_splits(void)
{
    const hsp_option_table *split = hsp_split_options(), *file = hsp_split_file_options();
    const alloc_case cases[] = {
        {"split", split, {"test", "0.3"}, alloc_split},
        {"split stratified", split, {"test", "3", "stratified", "yes"}, alloc_split},
        {"split a CSV file", file, {"test", "1"}, alloc_split_csv},
        {"split a CSV file by groups", file, {"group", "1"}, alloc_split_csv},
        {"split a libsvm file", file, {"test", "1"}, alloc_split_libsvm},
        {"split a cache", NULL, {0}, alloc_split_cache},
        {"the kind of a file", NULL, {0}, alloc_kind},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        alloc_run(&cases[i]);
}

static void alloc_run_online(void)
{
    const hsp_option_table *winnow = hsp_learner_find("winnow");
    const alloc_case cases[] = {
        {"train winnow", winnow, {"scale", "min-max", "average", "average"}, alloc_train},
        {"train balanced winnow",
         winnow,
         {"scale", "min-max", "variant", "balanced", "multiclass", "ovr"},
         alloc_train},
        {"audit perceptron", hsp_learner_find("perceptron"), {"positive", "yes"}, alloc_reference},
        {"audit winnow", winnow, {"scale", "min-max", "positive", "yes"}, alloc_audit},
        {"locate a value", winnow, {0}, alloc_locate},
        {"train experts", hsp_learner_find("experts"), {"negated", "yes"}, alloc_train},
        {"train and audit experts",
         hsp_learner_find("experts"),
         {"positive", "yes", "randomized", "yes"},
         alloc_audit_experts},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        alloc_run(&cases[i]);
    alloc_run_splits();
}

#endif
