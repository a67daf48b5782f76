/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads that the command knows. A new one adds its line to the list. */
#include <stddef.h>

#include "cowarp/workload.h"

#define CALIBRATION(X)   X(vecadd) X(reduction) X(bfs) X(laplace)
#define TRANSACTIONAL(X) X(ht_h) X(ht_m) X(ht_l) X(atm) X(cl) X(clto) X(bh_h) X(bh_l) X(cc) X(ap)
#define DIVERGENT(X)     X(bfs2) X(fcdt) X(hotsp) X(lps) X(mum) X(mumpp) X(namd) X(nvrt)
#define COHERENT(X)      X(aes) X(backp) X(cp) X(dg) X(hrtwl) X(lib) X(lkyt) X(mgst) X(nnc) X(ray) X(stmcl) X(sto) X(wp) X(wsreduce)
#define PERSISTENT(X)    X(gpkvs) X(hm) X(srad) X(red) X(mq) X(scan)
#define IN_GROUP(X)      X(lht_hc) X(lht_lc) X(it_hc) X(it_lc) X(gc_hc) X(gc_lc) X(km_hc) X(km_lc)
#define LINKED(X)        X(ll_1) X(ll_2) X(bt_1) X(bt_2) X(karger_1) X(karger_2) X(rbt_1) X(rbt_2) X(vac_1) X(vac_2)
#define WORKLOADS(X)     CALIBRATION(X) TRANSACTIONAL(X) LINKED(X) IN_GROUP(X) DIVERGENT(X) COHERENT(X) PERSISTENT(X)

#define DECLARE(id) extern const struct cowarp_workload cowarp_workload_##id;
#define ADDRESS(id) &cowarp_workload_##id,

WORKLOADS(DECLARE)

const struct cowarp_workload *const cowarp_workloads[] = {WORKLOADS(ADDRESS) NULL};
