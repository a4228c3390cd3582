/** Makes the message about a robots.txt that cannot be read, and finds the reason in such a message. */

const BEFORE = ' cannot be read: ';
const AFTER =
  '. Crawlers that cannot read it stop crawling the host, and they cannot see whether it names your sitemaps. Make it answer.';

export const unreachableMessage = (robotsUrl: string, why: string) => `${robotsUrl}${BEFORE}${why}${AFTER}`;

/** Returns the reason in a message; undefined for a message of another version. */
export function whyUnreachable(message: string): string | undefined {
  const [, why] = message.split(BEFORE);
  return why?.endsWith(AFTER) ? why.slice(0, -AFTER.length) : undefined;
}
