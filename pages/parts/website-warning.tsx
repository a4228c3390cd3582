/** The warning that a hostname may have a website. It is shown before a person changes the DNS records of the hostname. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

export interface WebsiteWarningProps {
  readonly hostname: string;
  /** The address that the hostname leads to. Undefined if only the name tells of a website. */
  readonly address: string | undefined;
  /** The button that proposes another hostname. */
  readonly children: ComponentChildren;
}

export function WebsiteWarning({ hostname, address, children }: WebsiteWarningProps) {
  return (
    <div class="notice" role="status">
      <Icon name="warning" />
      <p>
        <strong>This looks like your website. Don't change its DNS.</strong>
        {address ? `${hostname} is live at ${address}.` : `${hostname} is a name that websites have.`} If you
        point it to Waypost, your website goes offline. Use a name of its own for sitemaps; your pages stay
        where they are.
      </p>
      {children}
    </div>
  );
}
