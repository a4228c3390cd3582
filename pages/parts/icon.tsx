/**
 * The drawings of the dashboard, 16 × 16. Each stands beside a word, or on a button that has a name for screen readers. No drawing tells
 * anything alone.
 */
const DRAWINGS = {
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3 3" />
    </>
  ),
  down: <path d="m4 6 4 4 4-4" />,
  right: <path d="m6 4 4 4-4 4" />,
  back: <path d="m10 4-4 4 4 4" />,
  arrow: <path d="M3 8h10m-4-4 4 4-4 4" />,
  plus: <path d="M8 3.5v9M3.5 8h9" />,
  outside: <path d="M6 3.5H3.5v9h9V10M9 3h4v4m0-4L7.5 8.5" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
    </>
  ),
  done: <path d="m3.5 8.5 3 3 6-7" />,
  download: <path d="M8 2.5v8m-3.5-3L8 11l3.5-3.5M3 13.5h10" />,
  file: <path d="M9.5 2h-5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h7a1 1 0 0 0 1-1V5zm0 0v3h3" />,
  warning: <path d="M8 2.25 14.5 13.5h-13zM8 6.5v3.25m0 1.75v.1" />,
  held: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M6.5 6v4m3-4v4" />
    </>
  ),
  blocked: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="m4 4 8 8" />
    </>
  ),
  lock: (
    <>
      <rect x="3.5" y="7" width="9" height="6.5" rx="1.25" />
      <path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />
    </>
  ),
  refused: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="m6 6 4 4m0-4-4 4" />
    </>
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M2.25 8h11.5M8 2.25c2 1.75 2.5 3.5 2.5 5.75S10 12 8 13.75C6 12 5.5 10.25 5.5 8S6 4 8 2.25" />
    </>
  ),
  chart: <path d="M3 13.5v-5m3.5 5v-11m3.5 11v-7m3.5 7v-4" />,
};

export type IconName = keyof typeof DRAWINGS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      {DRAWINGS[name]}
    </svg>
  );
}
