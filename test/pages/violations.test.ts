import { expect, test } from 'vitest';
import { violationsCsv } from '../../pages/parts/violations-csv.ts';

test('a cell never is a formula, and keeps quotes, commas and line breaks', () => {
  const csv = violationsCsv([
    { line: 17, index: 15, field: 'loc', value: '=1+1', message: 'must be "absolute", always' },
    { field: 'urls[3]', value: { a: 1 }, message: '@x' },
    { field: '-x', value: '\t=1', message: '+1\n2' },
    { field: 'loc', value: null, message: '\r=1' },
  ]);
  expect(csv).toBe(
    '\uFEFF"line","entry","field","value","message"\r\n' +
      '"17","16","loc","\'=1+1","must be ""absolute"", always"\r\n' +
      '"","","urls[3]","{""a"":1}","\'@x"\r\n' +
      '"","","\'-x","\'\t=1","\'+1\n2"\r\n' +
      '"","","loc","","\'\r=1"\r\n',
  );
});

test.each([
  ['a;=1+1', "a;'=1+1"],
  ['a;"=1+1', 'a;""\'=1+1'],
  ['a\n@x', "a\n'@x"],
  ['a\t-1', "a\t'-1"],
  ['＝1', "'＝1"],
  ['https://a.example/?a=1;b=-2', 'https://a.example/?a=1;b=-2'],
])('%j is no formula where cells end at semicolons either', (value, shown) => {
  expect(violationsCsv([{ field: 'loc', value, message: 'no' }])).toContain(`"loc","${shown}","no"`);
});
