/* A pretended libnvidia-ml.so.1 for the agent's tests: boards that answer what the environment says, read at each call.
 *   STUB_COUNT=n   boards (default 2)              STUB_ORDER=reversed   indexes the other way round
 *   STUB_LOST=i STUB_RESET=i STUB_HANGS=i          board i has fallen off the bus, needs a reset, never answers
 *   STUB_MIG=1     instances on board 0            STUB_XID=i            board i has one XID 31 waiting, once
 *   STUB_ECC=n     uncorrected errors of board 0
 * Board i (by identity, not by index): i GiB used, 600 MiB reserved, 80 GiB in all; 10+i percent; 40+i degrees; 100.5+i watts.
 * What is not defined here is a symbol that the driver does not have, which is a case of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TIMEOUT = 10, LOST = 15, RESET = 16, MOST = 16 };
#define GIB (1ULL << 30)
#define MIB (1ULL << 20)

typedef struct { int identity; int instance; } Board;  /* instance -1: the board itself */
typedef struct { unsigned long long total, free, used; } Memory;
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } Memory2;
typedef struct { unsigned gpu, memory; } Rates;
typedef struct { unsigned start, size; } Placement;
typedef struct { Board *device; unsigned id, profile; Placement placement; } Info;
typedef struct { unsigned sms, copy, decoders, encoders, jpegs, ofas, slices, compute; unsigned long long memory; } Attributes;
typedef struct { Board *device; unsigned long long type, data; unsigned gi, ci; } Event;

static Board boards[MOST], instances[2] = {{0, 0}, {0, 1}};

static int setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
}
static int answers(const Board *b) {
    if (setting("STUB_HANGS", -1) == b->identity) sleep(60);
    if (setting("STUB_LOST", -1) == b->identity) return LOST;
    if (setting("STUB_RESET", -1) == b->identity) return RESET;
    return SUCCESS;
}
static int has_mig(const Board *b) { return setting("STUB_MIG", 0) && b->identity == 0; }

#define ASK(b) do { int said = answers(b); if (said) return said; } while (0)

int nvmlInit_v2(void) { return SUCCESS; }
int nvmlInitWithFlags(unsigned flags) { (void)flags; return SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(int code) { return code == LOST ? "GPU is lost" : code == RESET ? "GPU requires reset" : "Some error"; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = (unsigned)setting("STUB_COUNT", 2); return SUCCESS; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Board **b) {
    unsigned count = (unsigned)setting("STUB_COUNT", 2);
    if (index >= count || index >= MOST) return INVALID;
    unsigned identity = getenv("STUB_ORDER") ? count - 1 - index : index;
    boards[identity] = (Board){(int)identity, -1};
    *b = &boards[identity];
    ASK(*b);
    return SUCCESS;
}
int nvmlDeviceGetUUID(Board *b, char *text, unsigned size) { ASK(b); snprintf(text, size, "GPU-%08d-0000-4000-8000-000000000000", b->identity); return SUCCESS; }
int nvmlDeviceGetMemoryInfo(Board *b, Memory *m) {  /* the first version counts what is reserved as used */
    ASK(b);
    m->total = 80 * GIB; m->used = (unsigned long long)b->identity * GIB + 600 * MIB; m->free = m->total - m->used;
    return SUCCESS;
}
int nvmlDeviceGetMemoryInfo_v2(Board *b, Memory2 *m) {
    ASK(b);
    if (getenv("STUB_OLD")) return 13;  /* function not found */
    int part = b->instance >= 0;
    m->total = part ? 40 * GIB : 80 * GIB; m->reserved = part ? 0 : 600 * MIB; m->used = part ? (b->instance + 1) * GIB : (unsigned long long)b->identity * GIB;
    m->free = m->total - m->used - m->reserved;
    return SUCCESS;
}
int nvmlDeviceGetUtilizationRates(Board *b, Rates *r) {
    ASK(b);
    if (has_mig(b)) return NOT_SUPPORTED;
    r->gpu = 10u + (unsigned)b->identity; r->memory = 5; return SUCCESS;
}
int nvmlDeviceGetTemperature(Board *b, unsigned sensor, unsigned *t) { (void)sensor; ASK(b); *t = 40u + (unsigned)b->identity; return SUCCESS; }
int nvmlDeviceGetPowerUsage(Board *b, unsigned *milliwatts) { ASK(b); *milliwatts = 100500u + 1000u * (unsigned)b->identity; return SUCCESS; }
int nvmlDeviceGetTotalEccErrors(Board *b, unsigned kind, unsigned counter, unsigned long long *count) {
    (void)kind; (void)counter; ASK(b);
    if (b->identity) return NOT_SUPPORTED;
    *count = (unsigned long long)setting("STUB_ECC", 0); return SUCCESS;
}
int nvmlDeviceGetMigMode(Board *b, unsigned *now, unsigned *pending) { ASK(b); *now = *pending = (unsigned)has_mig(b); return SUCCESS; }
int nvmlDeviceGetMaxMigDeviceCount(Board *b, unsigned *count) { ASK(b); *count = 7; return SUCCESS; }
int nvmlDeviceGetMigDeviceHandleByIndex(Board *b, unsigned index, Board **device) {
    ASK(b);
    if (index > 2) return NOT_FOUND;
    *device = &instances[index ? 1 : 0];  /* devices 1 and 2 are two compute instances of one GPU instance */
    return SUCCESS;
}
int nvmlDeviceGetGpuInstanceId(Board *device, unsigned *id) { *id = (unsigned)device->instance + 1; return SUCCESS; }
int nvmlDeviceGetGpuInstanceById(Board *b, unsigned id, Board **owner) { ASK(b); *owner = &instances[id - 1]; return SUCCESS; }
int nvmlGpuInstanceGetInfo(Board *owner, Info *info) {
    memset(info, 0, sizeof *info);
    info->id = (unsigned)owner->instance + 1; info->placement = (Placement){4u * (unsigned)owner->instance, 4};
    return SUCCESS;
}
int nvmlDeviceGetAttributes_v2(Board *device, Attributes *a) {
    (void)device; memset(a, 0, sizeof *a);
    a->slices = 3; a->memory = 40448; return SUCCESS;
}
int nvmlEventSetCreate(void **set) { static int one; *set = &one; return SUCCESS; }
int nvmlDeviceRegisterEvents(Board *b, unsigned long long kinds, void *set) { (void)kinds; (void)set; ASK(b); return SUCCESS; }
int nvmlEventSetWait_v2(void *set, Event *event, unsigned milliseconds) {
    static int told;
    int who = setting("STUB_XID", -1);
    (void)set; (void)milliseconds;
    if (who < 0 || told++) return TIMEOUT;
    *event = (Event){&boards[who], 8, 31, 0xFFFFFFFFu, 0xFFFFFFFFu};
    return SUCCESS;
}
