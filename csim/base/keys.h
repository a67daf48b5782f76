/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration keys that a mechanism brings. The machine's own keys are in base/config.def. A mechanism has a file of the same form, its
 * keys.def, from which it makes a struct of uint32_t and a table:
 *
 *   struct cw_tracer_keys {                         static const struct cw_key keys[] = {
 *   #define CW_LIST "mech/tracer/keys.def"          #define CW_LIST "mech/tracer/keys.def"
 *   #include "base/key_fields.h"                    #include "base/key_rows.h"
 *   };                                              };
 *
 * keys.def may hold P(...), a number as X(...) has, which must be a power of two. It then begins with CW_KEY_P, see base/config.def. The
 * mechanism's descriptor names the set (struct cw_mech, keys). Nothing else is needed: `cowarp config`, --set, files and statistics have
 * it.
 */
#ifndef CW_BASE_KEYS_H
#define CW_BASE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cw_config;

/* A key. Its value is a uint32_t. */
struct cw_key {
    const char *name; /* "getm.stash": a table and a word in it */
    uint32_t value_default, minimum, maximum;
    const char *unit;   /* "" for a choice */
    const char *words;  /* "off|on": a choice, the value is an index into it; NULL: a number */
    const char *source; /* of the default: paper and section */
    const char *what;
    bool power_of_two;
};

/* A value that a preset has in the place of the default. */
struct cw_key_preset {
    const char *preset; /* "thesis-warptm"; presets that start from it have the value too */
    uint32_t key;       /* index into the set's table, from CW_KEY_AT */
    uint32_t value;
    const char *source; /* paper and section */
};

struct cw_key_set {
    const char *owner; /* folder of the mechanism that the keys belong to: "getm" */
    const struct cw_key *key;
    uint32_t key_cnt;
    const struct cw_key_preset *preset; /* may be NULL */
    uint32_t preset_cnt;
    /* Conditions between parameters, whatever the GPU holds. NULL: none. own: the set's values. Returns 0, or CW_EINVAL with a text. */
    int (*check)(const struct cw_config *config, const void *own, struct cw_error *err);
    /* Why a mechanism or policy that has the set does not read a key of it: what to set so that it is read ("--system eapg",
     * "tcd.mode=closed"). NULL: it reads the key. reader: its name. own: the set's values. The function may be NULL: all read all keys. */
    const char *(*needs)(const struct cw_config *config, const void *own, const char *reader, uint32_t key);
};

/* Rows of a table and fields of a struct, from keys.def. */
#define CW_KEY_FIELD(field, ...)                                    uint32_t field;
#define CW_KEY_NUMBER(field, name, def, lo, hi, unit, source, what) {name, (def), (lo), (hi), unit, NULL, source, what, false},
#define CW_KEY_POWER(field, name, def, lo, hi, unit, source, what)  {name, (def), (lo), (hi), unit, NULL, source, what, true},
#define CW_KEY_CHOICE(field, name, def, words, source, what)        {name, (def), 0, 0, "", words, source, what, false},
/* Index of a field's key in the table. */
#define CW_KEY_AT(type, field) ((uint32_t)(offsetof(type, field) / sizeof(uint32_t)))

#endif
