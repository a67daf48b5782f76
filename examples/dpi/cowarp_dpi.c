/* SPDX-License-Identifier: Apache-2.0 */
/* Behind cowarp_units.sv: a simulator of SystemVerilog calls these, with DPI's types. It is build/libcowarp_dpi.so; elsewhere compile it into the bench,
 * and link libcowarp. */
#include <cowarp/cowarp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus /* Verilator compiles it so */
extern "C" {
#endif

void *cowarp_dpi_open(const char *name, const char *params);
void cowarp_dpi_close(void *unit);
int cowarp_dpi_port(void *unit, const char *name);
void cowarp_dpi_set(void *unit, int port, int part, unsigned long long value);
unsigned long long cowarp_dpi_get(void *unit, int port, int part);
void cowarp_dpi_eval(void *unit);
void cowarp_dpi_tick(void *unit);
void cowarp_dpi_reset(void *unit);

void *cowarp_dpi_open(const char *name, const char *params)
{
    struct cowarp_unit *unit;
    char error[512];
    if (cowarp_unit_open(&unit, name, params, error, sizeof error) != COWARP_OK) {
        fprintf(stderr, "cowarp_units: %s\n", error);
        exit(2);
    }
    return unit;
}

void cowarp_dpi_close(void *unit)
{
    cowarp_unit_close((struct cowarp_unit *)unit);
}

int cowarp_dpi_port(void *unit, const char *name)
{
    const char *other;
    uint32_t bits;
    int is_input;
    for (uint32_t i = 0; cowarp_unit_port((struct cowarp_unit *)unit, i, &other, &bits, &is_input); i++)
        if (strcmp(name, other) == 0)
            return (int)i;
    fprintf(stderr, "cowarp_units: the unit has no port '%s'\n", name);
    return -1;
}

void cowarp_dpi_set(void *unit, int port, int part, unsigned long long value)
{
    if (cowarp_unit_set((struct cowarp_unit *)unit, (uint32_t)port, (uint32_t)part, value) != COWARP_OK)
        fprintf(stderr, "cowarp_units: port %d is no input, or cannot be %llu\n", port, value);
}

unsigned long long cowarp_dpi_get(void *unit, int port, int part)
{
    return cowarp_unit_get((struct cowarp_unit *)unit, (uint32_t)port, (uint32_t)part);
}

void cowarp_dpi_eval(void *unit)
{
    cowarp_unit_eval((struct cowarp_unit *)unit);
}

void cowarp_dpi_tick(void *unit)
{
    cowarp_unit_tick((struct cowarp_unit *)unit);
}

void cowarp_dpi_reset(void *unit)
{
    cowarp_unit_reset((struct cowarp_unit *)unit);
}

#ifdef __cplusplus
}
#endif
