/**
 * The target of the URLs, the choice for rows with mistakes, and the buttons. The card stays in sight while a person scrolls through a long
 * file.
 */
import type { ComponentChildren } from 'preact';
import { Card } from '../../../parts/card.tsx';
import type { SettingFaults, Settings } from '../settings.ts';
import type { ChosenFile } from './chosen-file.ts';
import { DomainField } from './domain-field.tsx';
import { MoreOptions } from './more-options.tsx';
import { SitemapField } from './sitemap-field.tsx';
import type { Target } from './use-target.ts';

export interface WhereCardProps {
  readonly settings: Settings;
  readonly target: Target;
  readonly change: (part: Partial<Settings>) => void;
  readonly chosen: ChosenFile;
  readonly document: Readonly<Record<string, unknown>>;
  readonly faults: SettingFaults;
  /** The buttons. */
  readonly children: ComponentChildren;
}

export function WhereCard(props: WhereCardProps) {
  const { settings, target, change, chosen, document, faults, children } = props;
  return (
    <Card title="Where it goes">
      <DomainField {...{ settings, change, chosen, document }} fault={faults.domain} />
      <SitemapField {...{ settings, target, change }} fault={faults.sitemapName} />
      <fieldset class="choices">
        <legend>If rows have mistakes</legend>
        <label>
          <input
            type="radio"
            name="mistakes"
            checked={!settings.skipsInvalid}
            onChange={() => change({ skipsInvalid: false })}
          />
          Publish nothing and list them
        </label>
        <label>
          <input
            type="radio"
            name="mistakes"
            checked={settings.skipsInvalid}
            onChange={() => change({ skipsInvalid: true })}
          />
          Leave them out (up to {settings.maxRejectedPercent || '1'}%)
        </label>
      </fieldset>
      {children}
      <MoreOptions settings={settings} change={change} faults={faults} />
    </Card>
  );
}
