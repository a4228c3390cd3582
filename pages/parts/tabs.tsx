/** Links to pages that belong together. Each page has an address of its own. */

export interface Tab {
  readonly href: string;
  readonly name: string;
  readonly isOpen: boolean;
  /** The number of things that the page lists, as in 12 or 20+. */
  readonly count?: string | undefined;
}

/** `label`: the name for screen readers, as in "Settings". */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label}>
      <ul class="tabs">
        {tabs.map((tab) => (
          <li key={tab.href}>
            <a class="tab" href={tab.href} aria-current={tab.isOpen ? 'page' : undefined}>
              {tab.name}
              {tab.count !== undefined && <span class="count">{tab.count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
