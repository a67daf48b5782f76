/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Persistent memory behind the L2: the way of a read or a persist from a partition to an NVM device, and the answer's way back (Pandey et
 * al., ASPLOS 2023, section 3 and Table 1). It keeps time and the durable image; the bytes that loads see are in device memory.
 *
 *   pm.attach = near   a device in each partition; pm.read_mbps and pm.write_mbps are of all together
 *       port -> write-pending queue -> [pm.latency] -> device
 *   pm.attach = far    one device, behind a link that all partitions share, with the latency and the bandwidth of each direction
 *       port -> link -> write-pending queue -> [pm.latency] -> device,  answers -> link -> port
 *
 * A persist is durable, and acknowledged, when the write-pending queue takes it (ADR: the queue is the memory controller's). It keeps its
 * entry, one of pm.wpq per device, until the device has written it. A full queue stops what is behind it: the persists on their way, the
 * port, the L2. With pm.eadr=on, of far memory, a persist is durable when it has reached the host, whose last-level cache has room for all.
 * Reads pass the queue by.
 *
 * pm.ack = device: the queue stands behind the latency, so that a persist takes the memory's latency, too, before it is durable.
 *
 * A device reads or writes one request at a time. Reads go first, until half of its queue is taken.
 *
 * pm.order = arrival: reads enter the queue, too, of pm.wpq sectors, and all requests reach the device in the order in which they have entered
 * it, pm.latency later; of those of one cycle the persists first.
 */
#ifndef CW_MEM_NVM_H
#define CW_MEM_NVM_H

#include "base/component.h"
#include "base/config.h"
#include "base/error.h"
#include "base/stats.h"
#include "event/event.h"
#include "mem/device_memory.h"
#include "msg/message.h"

struct cw_nvm;

/* Answers that wait at a port. The rest of it is nvm.c's. */
struct cw_nvm_port {
    struct cw_fifo done, durable;
};

struct cw_nvm_config {
    const struct cw_config *config;
    const struct cw_clocks *clocks;
    struct cw_stats *stats;
    struct cw_memory *memory;
    const struct cw_events *events; /* CW_EVENT_PERSIST is told here */
};

/* Bytes that are to become durable. */
struct cw_nvm_persist {
    uint64_t addr; /* of the line */
    uint32_t byte_mask[CW_LINE_BYTES_MAX / 32];
    uint8_t data[CW_LINE_BYTES_MAX];
    uint32_t core, id;          /* for events */
    struct cw_message *message; /* comes back when they are durable; NULL: nobody waits */
};

/* The back end of all partitions; CW_EINVAL for a configuration that cannot be, CW_ENOMEM. */
int cw_nvm_create(struct cw_nvm **out, const struct cw_nvm_config *config, struct cw_error *err);
void cw_nvm_destroy(struct cw_nvm *n);
/* Domain L2. */
struct cw_component *cw_nvm_component(struct cw_nvm *n);
/* The port of a partition; wake: wake time of the component that takes the answers. */
struct cw_nvm_port *cw_nvm_connect(struct cw_nvm *n, uint32_t partition, cw_time *wake);

bool cw_nvm_can_read(struct cw_nvm_port *port);
bool cw_nvm_can_persist(struct cw_nvm_port *port, cw_time now);
/* Reads those sectors of a line; tag comes back with them. */
void cw_nvm_read(struct cw_nvm_port *port, uint8_t sectors, uint32_t tag, cw_time now);
/* Takes a copy. It sets out `delay` after now. */
void cw_nvm_persist(struct cw_nvm_port *port, const struct cw_nvm_persist *persist, cw_time delay, cw_time now);
/* Whether an answer waits, or will at a time that is known. */
static inline bool cw_nvm_answers(const struct cw_nvm_port *port)
{
    return port != NULL && (port->done.count | port->durable.count) != 0;
}
/* Takes the oldest read that has finished at time now: its tag and what was asked for; false when there is none. */
bool cw_nvm_pop(struct cw_nvm_port *port, uint32_t *tag, uint8_t *sectors, cw_time now);
/* The oldest message whose bytes are durable at time now, or NULL; pop takes it. */
struct cw_message *cw_nvm_acknowledged(const struct cw_nvm_port *port, cw_time now);
void cw_nvm_pop_acknowledged(struct cw_nvm_port *port, cw_time now);
/* Time from which the port's next answer may be taken. */
cw_time cw_nvm_next(const struct cw_nvm_port *port);
/* Nothing is on its way. What is durable may not be written yet. */
bool cw_nvm_idle(const struct cw_nvm *n);
/* Whether persists are on their way to a device, or being written. That ends, whatever the cores wait for. */
bool cw_nvm_drains(const struct cw_nvm *n);

#endif
