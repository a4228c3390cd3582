/** Thread entry: reads one Parquet file per task. It asks the main thread for parts of the file and hands it batches. */
import type { ParquetAsk } from '../src/features/uploads/parquet/messages.ts';
import { readParquetFile } from '../src/features/uploads/parquet/read-file.ts';
import { serveTasks } from '../src/platform/process/serve-tasks.ts';

// The decoder of Parquet writes its panics to `console.error`. A panic means a faulty file, and the main thread reports the fault.
console.error = () => {};

serveTasks(readParquetFile, (ask: ParquetAsk) =>
  ask.kind === 'batch' ? [ask.batch.bytes.buffer, ask.batch.ends.buffer] : [],
);
