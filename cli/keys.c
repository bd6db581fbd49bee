/* The keys of results, from the tables that these are printed with: for manual pages and the
 * documentation, and as a JSON schema. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int keys_is(const hsp_field *field)
{
    return field->name && field->name[0] != '.';
}

/* ---- Lists of keys ---- */

/* What types are called: in lists of keys, in lists of lists, in the schema. */
static const struct {
    const char *one, *several, *schema;
} keys_types[] = {[HSP_FIELD_FLAG] = {"true or false", "flags", "boolean"},
                  [HSP_FIELD_COUNT] = {"count", "counts", "integer"},
                  [HSP_FIELD_COUNT32] = {"count", "counts", "integer"},
                  [HSP_FIELD_REAL] = {"number", "numbers", "number"},
                  [HSP_FIELD_LOWER] = {"number", "numbers", "number"},
                  [HSP_FIELD_UPPER] = {"number", "numbers", "number"},
                  [HSP_FIELD_SHARE] = {"share", "shares", "number"},
                  [HSP_FIELD_UPPER_SHARE] = {"share", "shares", "number"},
                  [HSP_FIELD_SECONDS] = {"seconds", "seconds", "number"},
                  [HSP_FIELD_NUMBER] = {"number", "numbers", "number"},
                  [HSP_FIELD_TEXT] = {"text", "texts", "string"},
                  [HSP_FIELD_OBJECT] = {"object", "objects", "object"},
                  [HSP_FIELD_LIST] = {"list", "lists", "array"},
                  [HSP_FIELD_MAP] = {"object, by name", "objects", "object"}};

/* "rows", "number", "list of objects". */
static char *keys_type(const hsp_field *field)
{
    if (field->type == HSP_FIELD_LIST)
        return cli_format(
            "list of %s",
            keys_types[field->of()->name ? HSP_FIELD_OBJECT : field->of()->type].several);
    const int own = !field->unit || field->type == HSP_FIELD_MAP;
    return cli_format("%s", own ? keys_types[field->type].one : field->unit);
}

static void keys_add(cli_keys *keys, char *name, char *type, char *meaning)
{
    keys->list = cli_memory(keys->list, (keys->count + 1) * sizeof *keys->list);
    keys->list[keys->count++] = (cli_key){name, type, meaning};
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the table */
static void keys_collect(cli_keys *keys, const char *prefix, const hsp_field *fields)
{
    for (const hsp_field *field = fields; field->type != HSP_FIELD_END; field++) {
        if (field->type == HSP_FIELD_PART) {
            if (field->meaning) keys_add(keys, NULL, NULL, cli_format("%s", field->meaning));
            keys_collect(keys, prefix, field->of());
        }
        if (!keys_is(field)) continue;
        char *name = cli_format("%s%s", prefix, field->name);
        char *inner = cli_format("%s%s", name, field->type == HSP_FIELD_LIST ? "[]." : ".");
        keys_add(keys, name, keys_type(field),
                 cli_format("%s%s%s", field->meaning, field->when ? "; " : "",
                            field->when ? field->when : ""));
        if (field->type == HSP_FIELD_OBJECT || (field->type == HSP_FIELD_LIST && field->of()->name))
            keys_collect(keys, inner, field->of());
        free(inner);
    }
}

cli_keys cli_result_keys(const cli_result *result)
{
    cli_keys keys = {NULL, 0};
    keys_collect(&keys, result->list ? "[]." : "", result->fields());
    if (!result->list && !result->bare) keys_collect(&keys, "", cli_cost_fields());
    return keys;
}

void cli_keys_free(cli_keys *keys)
{
    for (size_t i = 0; i < keys->count; i++) {
        free(keys->list[i].name);
        free(keys->list[i].type);
        free(keys->list[i].meaning);
    }
    free(keys->list);
}

void cli_keys_markdown(FILE *file, const cli_command *command)
{
    for (const cli_result *result = command->results; result->fields; result++) {
        cli_keys keys = cli_result_keys(result);
        if (result > command->results) fputc('\n', file);
        fprintf(file, "`halfspace %s --json`:\n\n| key | type | meaning |\n| --- | --- | --- |\n",
                result->name);
        for (size_t i = 0; i < keys.count; i++) {
            const cli_key *key = &keys.list[i];
            if (!key->name) {
                fprintf(file, "| | | *%s:* |\n", key->meaning);
                continue;
            }
            fprintf(file, "| `%s` | %s | ", key->name, key->type);
            for (const char *p = key->meaning; *p; p++) {
                if (strchr("|*_<", *p)) fputc('\\', file);
                fputc(*p, file);
            }
            fputs(" |\n", file);
        }
        cli_keys_free(&keys);
    }
}

/* ---- The schema ---- */

/* A value: of a field, or an object of a table of fields. */
typedef struct keys_node {
    const hsp_field *field;  /* or NULL */
    const hsp_field *fields; /* of the object, or NULL */
    int list;                /* of such objects */
    int common;              /* and the keys that every report has */
} keys_node;

typedef struct keys_property {
    const char *name;
    keys_node node;
} keys_property;

/* The n-th key of a table and its parts; *absent: it may be missing. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the table */
static const hsp_field *keys_nth(const hsp_field *fields, size_t *n, int *absent)
{
    for (const hsp_field *field = fields; field->type != HSP_FIELD_END; field++) {
        if (field->type == HSP_FIELD_PART) {
            const hsp_field *found = keys_nth(field->of(), n, absent);
            *absent |= found && field->optional;
            if (found) return found;
        } else if (keys_is(field) && (*n)-- == 0) {
            *absent = field->optional;
            return field;
        }
    }
    return NULL;
}

static const hsp_field *keys_of_node(const keys_node *node, size_t n, int *absent)
{
    if (node->list || !node->fields) return NULL;
    const hsp_field *found = keys_nth(node->fields, &n, absent);
    return found || !node->common ? found : keys_nth(cli_cost_fields(), &n, absent);
}

static keys_node keys_node_of(const hsp_field *field)
{
    return (keys_node){field, field->type == HSP_FIELD_OBJECT ? field->of() : NULL, 0, 0};
}

static const char *keys_json_type(const keys_node *node)
{
    if (!node->field) return node->list ? "array" : "object";
    return keys_types[node->field->type].schema;
}

static int keys_nullable(const keys_node *node)
{
    return node->field && node->field->when && !node->field->optional;
}

GETTER(keys_type_one, keys_node, node, keys_nullable(node) ? NULL : keys_json_type(node))
GETTER(keys_type_or_null, keys_node, node,
       !keys_nullable(node) || i > 1 ? NULL
       : i                           ? "null"
                                     : keys_json_type(node))
GETTER(keys_description, keys_node, node, node->field ? node->field->meaning : NULL)

static const void *keys_property_at(const void *record, size_t i, void *room)
{
    keys_property *property = room;
    int absent = 0;
    const hsp_field *field = keys_of_node(record, i, &absent);
    if (!field) return NULL;
    *property = (keys_property){field->name, keys_node_of(field)};
    return property;
}

static const void *keys_required_at(const void *record, size_t i, void *room)
{
    const hsp_field *field;
    (void)room;
    for (size_t n = 0;; n++) {
        int absent = 0;
        field = keys_of_node(record, n, &absent);
        if (!field) return NULL;
        if (!absent && i-- == 0) return field->name;
    }
}

static const void *keys_items(const void *record, size_t i, void *room)
{
    const keys_node *node = record;
    keys_node *item = room;
    (void)i;
    if (node->list) {
        *item = (keys_node){NULL, node->fields, 0, 0};
        return item;
    }
    if (!node->field || node->field->type != HSP_FIELD_LIST) return NULL;
    const hsp_field *of = node->field->of();
    *item = of->name ? (keys_node){NULL, of, 0, 0} : keys_node_of(of);
    return item;
}

/* Of a map, whose names are not known: what all its values are. */
GETTER(keys_values, keys_node, node,
       node->field && node->field->type == HSP_FIELD_MAP
           ? (*(keys_node *)room = keys_node_of(&node->field->of()[1]), room)
           : NULL)
static const int keys_none = 0;
GETTER(keys_closed, keys_node, node, node->fields && !node->list ? &keys_none : NULL)

static const hsp_field *keys_node_fields(void);

FIELDS(keys_property_fields, keys_property, FIELD(TEXT, "name", NULL, name, "the key"),
       FIELD(OBJECT, "schema", NULL, node, "its schema", .of = keys_node_fields))

FIELDS(keys_node_fields, keys_property,
       FIELD_GET(TEXT, "description", NULL, keys_description, "the meaning", .optional = 1),
       FIELD_GET(TEXT, "type", NULL, keys_type_one, "the type", .optional = 1),
       FIELD_GET(LIST, "type", NULL, keys_type_or_null, "the type, or null", .optional = 1,
                 .of = hsp_field_texts),
       FIELD_GET(MAP, "properties", NULL, keys_property_at, "the keys", .optional = 1,
                 .of = keys_property_fields),
       FIELD_GET(LIST, "required", NULL, keys_required_at, "keys that are always there",
                 .optional = 1, .of = hsp_field_texts),
       FIELD_GET(OBJECT, "items", NULL, keys_items, "of a list", .optional = 1,
                 .of = keys_node_fields),
       FIELD_GET(OBJECT, "additionalProperties", NULL, keys_values, "of an object by name",
                 .optional = 1, .of = keys_node_fields),
       FIELD_GET(FLAG, "additionalProperties", NULL, keys_closed, "no other keys", .optional = 1))

/* Every result of every command. */
static const void *keys_result_at(const void *record, size_t i, void *room)
{
    keys_property *property = room;
    (void)record;
    for (size_t c = 0; cli_commands[c]; c++)
        for (const cli_result *result = cli_commands[c]->results; result && result->fields;
             result++)
            if (i-- == 0) {
                *property = (keys_property){
                    result->name,
                    {NULL, result->fields(), result->list, !result->list && !result->bare}};
                return property;
            }
    if (i > 0) return NULL;
    *property = (keys_property){cli_error_result.name, {NULL, cli_error_result.fields(), 0, 0}};
    return property;
}

GETTER(keys_draft, cli, run, "https://json-schema.org/draft/2020-12/schema")
GETTER(
    keys_title, cli, run,
    "Results of halfspace COMMAND --json, one definition per command, and of a command that fails")

FIELDS(keys_schema_fields, keys_property, FIELD_GET(TEXT, "$schema", NULL, keys_draft, "the draft"),
       FIELD_GET(TEXT, "title", NULL, keys_title, "the title"),
       FIELD_GET(MAP, "$defs", NULL, keys_result_at, "the results", .of = keys_property_fields))

hsp_status cli_schema(const cli *run, FILE *file, hsp_error *err)
{
    return hsp_report_json(run->ctx, keys_schema_fields(), run, cli_put, file, err);
}
