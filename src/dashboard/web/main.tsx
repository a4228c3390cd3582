/** The browser's entry. */
import './style/base.css';
import './style/layout.css';
import './style/controls.css';
import './style/tables.css';
import './style/domain.css';
import './style/settings.css';
import './style/charts.css';
import { render } from 'preact';
import { App } from './app.tsx';

render(<App />, document.getElementById('app')!);
