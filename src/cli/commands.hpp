#pragma once

namespace CLI {
class App;
}

namespace kareus::cli {

/// Each adds one command to the program; running it sets `exit_code`.
void add_plan(CLI::App& program, int& exit_code);
void add_select(CLI::App& program, int& exit_code);
void add_report(CLI::App& program, int& exit_code);
void add_search(CLI::App& program, int& exit_code);
void add_frontier(CLI::App& program, int& exit_code);
void add_import(CLI::App& program, int& exit_code);
void add_export(CLI::App& program, int& exit_code);
void add_calibrate(CLI::App& program, int& exit_code);
void add_validate(CLI::App& program, int& exit_code);
void add_evaluate(CLI::App& program, int& exit_code);
void add_emulate(CLI::App& program, int& exit_code);

}  // namespace kareus::cli
