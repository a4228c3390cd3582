/** Makes a segment of a path of a name that somebody gives. */
import { badSetting } from '../waypost-error.ts';

/** Throws for `.`, `..` and an empty name: URLs and proxies leave these out, so the request would be about something else. */
export function pathSegment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw badSetting(`“${name}” is no name and no id.`);
  return encodeURIComponent(name);
}
