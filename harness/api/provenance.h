/* SPDX-License-Identifier: Apache-2.0 */
/* What the library has been built from. cmake/provenance.cmake makes the one object of this type in each build. */
#ifndef CW_HARNESS_API_PROVENANCE_H
#define CW_HARNESS_API_PROVENANCE_H

#define CW_PROVENANCE_MARK "cowarp provenance 1"

/* The block has a size of its own and begins with a mark. So who wants to know whether two builds differ in code can leave it out of the
 * comparison (experiments/runs.py). */
struct cowarp__provenance {
    char mark[32];
    char commit[64];    /* 12 digits, with a + when the sources had changes; or "unknown" */
    char sources[96];   /* SHA-256 over the source files' digests */
    char compiler[832]; /* name, version, build type, flags */
};

extern const struct cowarp__provenance cowarp__provenance;

#endif
