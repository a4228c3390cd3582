/** The layout in memory of the columns that the host gives to the kernel. AssemblyScript reads this file too. */

export const ROW_COLUMN_BYTES = 80;
export const ROW_COLUMN_OPEN = 24;

/** Kinds of columns: texts, or JSON. */
export const ROW_TEXT = 0;
export const ROW_JSON = 1;
