/* units: by how much a larger unit is more than the plain one. */
#ifndef MLPBOOT_LIB_UNITS_H
#define MLPBOOT_LIB_UNITS_H

#define KILO 1e3
#define MEGA 1e6
#define GIGA 1e9

#endif
