import Table from 'cli-table3';
import { print } from '../platform/print.ts';

export function printTable(head: string[], rows: string[][]): void {
  const table = new Table({ head, style: { head: [], border: [] } });
  table.push(...rows);
  print(table.toString());
}
