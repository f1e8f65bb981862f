/* Rust's library asks this DLL of Windows for random octets, and Wine 8 does not have it yet: the one function, by what Wine has. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(void *octets, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(unsigned char *octets, size_t length)
{
    while (length > 0) {
        ULONG part = length > 0x10000000 ? 0x10000000 : (ULONG)length;
        if (!SystemFunction036(octets, part))
            return FALSE;
        octets += part;
        length -= part;
    }
    return TRUE;
}
