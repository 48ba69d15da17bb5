//! The charts of a training's report.

use super::embedding::Epoch;
use super::linear::PhaseCurve;
use super::metrics::StageErrors;
use super::plot::{Chart, Series};
use crate::analysis::accuracy::{DepthAccuracy, Interval};

/// Loss of the phases and passes, and MAE and mean error by empties on the test positions.
pub fn training_charts(curves: &[PhaseCurve], epochs: &[Epoch], stages: &[StageErrors]) -> Vec<Chart> {
    let by_empties =
        |name: &str, value: fn(&StageErrors) -> Option<f64>, interval: fn(&StageErrors) -> Option<Interval>| Series {
            name: name.into(),
            points: stages.iter().filter_map(|s| Some((s.empties as f64, value(s)?))).collect(),
            band: stages.iter().filter_map(|s| interval(s).map(|i| (s.empties as f64, i.low, i.high))).collect(),
        };
    let middle = |curve: &&PhaseCurve| curve.empties.1 == 30;
    let unnamed = |c: &PhaseCurve| line("", numbered(&c.test_rmse));
    let mut lines: Vec<Series> = curves.iter().map(unnamed).collect();
    for curve in curves.iter().filter(middle) {
        lines.push(line("30 empties, training", numbered(&curve.train_rmse)));
        lines.push(line("30 empties, test", numbered(&curve.test_rmse)));
    }
    let mut charts = vec![
        chart(
            "Loss by iteration (grey: test loss of every phase)",
            ["iteration", "root mean squared error, discs"],
            lines,
        ),
        chart(
            "Error on games left out",
            ["empty squares", "mean absolute error, discs"],
            vec![
                by_empties("evaluation", |s| s.mae, |s| s.mae_interval),
                by_empties("linear part", |s| s.linear_mae, |_| None),
                by_empties("built-in weights", |s| s.built_in_mae, |_| None),
                by_empties("always 0", |s| s.zero_mae, |_| None),
            ],
        ),
        chart(
            "Bias on games left out",
            ["empty squares", "mean error, discs"],
            vec![by_empties("evaluation", |s| s.mean_error, |s| s.mean_error_interval)],
        ),
    ];
    if !epochs.is_empty() {
        let series = |name: &str, value: fn(&Epoch) -> Option<f64>| {
            line(name, numbered(&epochs.iter().filter_map(value).collect::<Vec<_>>()))
        };
        charts.push(chart(
            "Loss of the embedding by pass over the data",
            ["pass", "error, discs"],
            vec![
                series("training, RMSE", |e| Some(e.train_rmse)),
                series("test, RMSE", |e| e.test_rmse),
                series("test, MAE", |e| e.test_mae),
            ],
        ));
    }
    charts
}

fn chart(title: &str, [x_label, y_label]: [&str; 2], series: Vec<Series>) -> Chart {
    Chart { title: title.into(), x_label: x_label.into(), y_label: y_label.into(), series }
}

/// MAE and mean error by depth on positions with known scores; `name` says which.
pub fn depth_charts(name: &str, depths: &[DepthAccuracy]) -> Vec<Chart> {
    let by_depth = |value: fn(&DepthAccuracy) -> f64, interval: fn(&DepthAccuracy) -> Option<Interval>| Series {
        name: name.into(),
        points: depths.iter().map(|row| (row.depth as f64, value(row))).collect(),
        band: depths.iter().filter_map(|row| interval(row).map(|i| (row.depth as f64, i.low, i.high))).collect(),
    };
    let (mae, bias) =
        (by_depth(|r| r.mae, |r| r.intervals.mae), by_depth(|r| r.mean_error, |r| r.intervals.mean_error));
    vec![
        chart("Error of searches", ["depth in plies", "mean absolute error, discs"], vec![mae]),
        chart("Bias of searches", ["depth in plies", "mean error, discs"], vec![bias]),
    ]
}

fn numbered(values: &[f64]) -> Vec<(f64, f64)> {
    values.iter().enumerate().map(|(i, &value)| (i as f64 + 1.0, value)).collect()
}

fn line(name: &str, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.into(), points, band: Vec::new() }
}
