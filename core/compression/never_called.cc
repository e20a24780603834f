// In a small program (LEAT_SMALL_PROGRAM), in the place of members of static libraries that others
// ask for but no call ever reaches: with them the program would be a twentieth larger. Another
// version of a library that asks for more links its own again, or is refused by the linker.
#include <cstdlib>

#define LEAT_NEVER_CALLED(name)  \
    extern "C" void name(void) { \
        std::abort();            \
    }

// What reads zstd of before 1.0, whose frames decompress_zstd() refuses.
#define LEAT_OLD_ZSTD(version)                                   \
    LEAT_NEVER_CALLED(ZBUFF##version##_createDCtx)               \
    LEAT_NEVER_CALLED(ZBUFF##version##_decompressContinue)       \
    LEAT_NEVER_CALLED(ZBUFF##version##_decompressInitDictionary) \
    LEAT_NEVER_CALLED(ZBUFF##version##_freeDCtx)                 \
    LEAT_NEVER_CALLED(ZSTD##version##_createDCtx)                \
    LEAT_NEVER_CALLED(ZSTD##version##_decompress_usingDict)      \
    LEAT_NEVER_CALLED(ZSTD##version##_findFrameSizeInfoLegacy)   \
    LEAT_NEVER_CALLED(ZSTD##version##_freeDCtx)                  \
    LEAT_NEVER_CALLED(ZSTD##version##_getFrameParams)
LEAT_OLD_ZSTD(v05)
LEAT_OLD_ZSTD(v06)
LEAT_OLD_ZSTD(v07)

// How lz4 compresses from level 3 on; compress_lz4() leaves it at 0.
LEAT_NEVER_CALLED(LZ4_attach_HC_dictionary)
LEAT_NEVER_CALLED(LZ4_compress_HC_continue)
LEAT_NEVER_CALLED(LZ4_compress_HC_extStateHC_fastReset)
LEAT_NEVER_CALLED(LZ4_favorDecompressionSpeed)
LEAT_NEVER_CALLED(LZ4_initStreamHC)
LEAT_NEVER_CALLED(LZ4_loadDictHC)
LEAT_NEVER_CALLED(LZ4_resetStreamHC_fast)
LEAT_NEVER_CALLED(LZ4_saveDictHC)
LEAT_NEVER_CALLED(LZ4_setCompressionLevel)
LEAT_NEVER_CALLED(LZ4_sizeofStateHC)
