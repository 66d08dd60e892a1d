import type { Server } from './server';

export interface Column {
	name: string;
	type: 'string' | 'number' | 'boolean' | 'date';
}

/** One of n8n's Data Tables, in the owner's own project. */
export type DataTable = Awaited<ReturnType<typeof createDataTable>>;

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

export async function createDataTable(server: Server, name: string, columns: Column[]) {
	const project = await server.rest<{ id: string }>('GET', '/rest/projects/personal');
	const tables = `/rest/projects/${project.id}/data-tables`;
	const { id } = await server.rest<{ id: string }>('POST', tables, { name, columns });
	const path = `${tables}/${id}`;
	return {
		id,
		async rows() {
			const rows: Array<Record<string, unknown>> = [];
			for (;;) {
				const page = `sortBy=id:asc&take=${PAGE}&skip=${rows.length}`;
				const { count, data } = await server.rest<{ count: number; data: typeof rows }>(
					'GET',
					`${path}/rows?${page}`,
				);
				rows.push(...data);
				if (rows.length >= count || data.length === 0) return rows;
			}
		},
		async addColumn(column: Column) {
			await server.rest('POST', `${path}/columns`, column);
		},
		async removeColumn(name: string) {
			const present = await server.rest<Array<Column & { id: string }>>('GET', `${path}/columns`);
			const column = present.find((one) => one.name === name);
			if (column === undefined) throw new Error(`the table has no column ${name}`);
			await server.rest('DELETE', `${path}/columns/${column.id}`);
		},
	};
}
