/** How the host tells the kernel of the columns of rows. AssemblyScript reads this file too. */

export const ROW_COLUMN_BYTES = 80;
export const ROW_COLUMN_OPEN = 24;

/** Kinds of columns: texts, or JSON. */
export const ROW_TEXT = 0;
export const ROW_JSON = 1;
