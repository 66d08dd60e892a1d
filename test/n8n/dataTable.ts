import type { Server } from './server';

export interface Column {
	name: string;
	type: 'string' | 'number' | 'boolean' | 'date';
}

/** One of n8n's Data Tables, in the owner's own project. */
export interface DataTable {
	id: string;
	rows(): Promise<Array<Record<string, unknown>>>;
	addColumn(column: Column): Promise<void>;
	removeColumn(name: string): Promise<void>;
}

/** A row without the columns that n8n gives every table. */
export function ownColumns({
	id,
	createdAt,
	updatedAt,
	...own
}: Record<string, unknown>): Record<string, unknown> {
	for (const value of [id, createdAt, updatedAt])
		if (value === undefined) throw new Error('n8n gave a row without one of its own columns');
	return own;
}

/** As many rows as n8n 1 gives at once. */
const PAGE = 50;

export async function createDataTable(
	server: Server,
	name: string,
	columns: Column[],
): Promise<DataTable> {
	const { id } = await server.rest<{ id: string }>('POST', await tablesOf(server), {
		name,
		columns,
	});
	return await dataTable(server, id);
}

/** One that n8n has. */
export async function dataTable(server: Server, id: string): Promise<DataTable> {
	const tables = await tablesOf(server);
	return {
		id,
		async rows() {
			const rows: Array<Record<string, unknown>> = [];
			for (;;) {
				const page = `sortBy=id:asc&take=${PAGE}&skip=${rows.length}`;
				const { count, data } = await server.rest<{
					count: number;
					data: Array<Record<string, unknown>>;
				}>('GET', `${tables}/${id}/rows?${page}`);
				rows.push(...data);
				if (rows.length >= count || data.length === 0) return rows;
			}
		},
		async addColumn(column) {
			await server.rest('POST', `${tables}/${id}/columns`, column);
		},
		async removeColumn(columnName) {
			const path = `${tables}/${id}/columns`;
			const present = await server.rest<Array<Column & { id: string }>>('GET', path);
			const column = present.find((one) => one.name === columnName);
			if (column === undefined) throw new Error(`the table has no column ${columnName}`);
			await server.rest('DELETE', `${path}/${column.id}`);
		},
	};
}

async function tablesOf(server: Server): Promise<string> {
	const project = await server.rest<{ id: string }>('GET', '/rest/projects/personal');
	return `/rest/projects/${project.id}/data-tables`;
}
