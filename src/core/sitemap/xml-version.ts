/**
 * The version of the XML that we write for an entry, and for the file around entries. Raise the version with every change that gives the
 * same entry other bytes. After such a change, a list that is uploaded again changes all of its files, but none of its URLs.
 */
export const XML_VERSION = 1;
