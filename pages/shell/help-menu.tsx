/** The help menu: how Waypost works, the API reference, the links of the operator, and the version. */
import type { Help } from '../../src/edges/dashboard/wire.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';

export function HelpMenu({ help }: { readonly help: Help }) {
  const { docsUrl, statusUrl, contact, version } = help;
  const links = [
    { name: 'API reference', href: '/api/docs' },
    { name: 'Documents', href: docsUrl },
    { name: 'Status', href: statusUrl },
    { name: 'Contact', href: contact?.includes('://') ? contact : contact && `mailto:${contact}` },
  ];
  return (
    <Menu button="Help">
      <a href="/dashboard/help">How it works</a>
      {links.map(
        ({ name, href }) =>
          href && (
            <a key={name} href={href} target="_blank" rel="noopener">
              {name} <Icon name="outside" />
            </a>
          ),
      )}
      <p>Waypost {version}</p>
    </Menu>
  );
}
