/** Completes a URL whose scheme is left out, as browsers show it. */

/** Returns undefined for a text that has a scheme, or no host. */
export function wholeUrlOf(text: string): string | undefined {
  const whole = `https://${text.trim()}`;
  if (/^[a-z][a-z\d+.-]*:/i.test(text) || !/^https:\/\/[^/?#\s]+\.[^/?#\s.]+(?:[/?#]\S*)?$/.test(whole))
    return undefined;
  return URL.canParse(whole) ? whole : undefined;
}
