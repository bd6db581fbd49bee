/* mini-gmp under the name of GNU MP, with the calls that it lacks. */
#ifndef HSP_WEB_GMP_H
#define HSP_WEB_GMP_H

#include <stdarg.h>

#include <mini-gmp.h>
#include <mini-mpq.h>

/* A list of numbers, ended by NULL. */
#define WEB_GMP_EACH(NAME, NUMBER, CALL)                    \
    static inline void NAME(NUMBER first, ...)              \
    {                                                       \
        va_list list;                                       \
        va_start(list, first);                              \
        for (NUMBER x = first; x; x = va_arg(list, NUMBER)) \
            CALL(x);                                        \
        va_end(list);                                       \
    }
typedef __mpz_struct *web_mpz;
typedef __mpq_struct *web_mpq;
WEB_GMP_EACH(mpz_inits, web_mpz, mpz_init)
WEB_GMP_EACH(mpz_clears, web_mpz, mpz_clear)
WEB_GMP_EACH(mpq_inits, web_mpq, mpq_init)
WEB_GMP_EACH(mpq_clears, web_mpq, mpq_clear)

#endif
