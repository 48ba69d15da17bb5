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

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterations and passes are counted from 1, and the middle phase is shown in training as well.
    #[test]
    fn lines_of_the_loss() {
        let curve = |empties| PhaseCurve {
            empties,
            positions: 9,
            train_rmse: vec![6.0, 5.0, 4.5],
            test_rmse: vec![6.5, 5.5, 5.0],
        };
        let epoch = |rmse| Epoch { train_rmse: 5.0, test_rmse: Some(rmse), test_mae: None };
        let charts = training_charts(&[curve((27, 28)), curve((29, 30))], &[epoch(4.5), epoch(4.0)], &[]);
        let lines = |chart: usize| -> Vec<(&str, &[(f64, f64)])> {
            charts[chart].series.iter().map(|line| (line.name.as_str(), line.points.as_slice())).collect()
        };
        let test = [(1.0, 6.5), (2.0, 5.5), (3.0, 5.0)].as_slice();
        let training = [(1.0, 6.0), (2.0, 5.0), (3.0, 4.5)].as_slice();
        let named = [("30 empties, training", training), ("30 empties, test", test)];
        assert_eq!(lines(0), [[("", test); 2], named].concat());
        let passes = [
            ("training, RMSE", [(1.0, 5.0), (2.0, 5.0)].as_slice()),
            ("test, RMSE", &[(1.0, 4.5), (2.0, 4.0)]),
            ("test, MAE", &[]),
        ];
        assert_eq!(lines(3), passes);
    }
}
