/**
 * The version of the XML that we write of an entry, and of the file around it. Raise it with every change that gives the same entry
 * other bytes: a list that is uploaded again then changes all files, but none of its URLs.
 */
export const XML_VERSION = 1;
