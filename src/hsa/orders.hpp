// Many functions are there several times, under names that end with how memory is ordered around the access. Each of these says
// something once for every such ending.
#pragma once

#define FOR_EACH_ORDER_OF_LOADS(each) each(relaxed) each(scacquire) each(acquire) static_assert(true)
#define FOR_EACH_ORDER_OF_STORES(each) each(relaxed) each(screlease) each(release) static_assert(true)
#define FOR_EACH_ORDER(each)                                                                \
    each(relaxed) each(acquire) each(release) each(acq_rel) each(scacquire) each(screlease) \
        each(scacq_screl) static_assert(true)
